/** What the model reads: when to use each tool, and with which arguments. */

export const CALCULATE = {
  type: "object",
  properties: {
    expression: {
      type: "string",
      description: "Math expression, for example 2**16 or sqrt(144)",
    },
  },
  required: ["expression"],
} as const;

export const UNIT_CONVERT = {
  type: "object",
  properties: {
    value: { type: "number", description: "The number to convert" },
    from_unit: { type: "string", description: "Its unit, for example km, lb, F or GB" },
    to_unit: { type: "string", description: "The wanted unit, for example mi, kg, C or MB" },
  },
  required: ["value", "from_unit", "to_unit"],
} as const;
