/** What runs when the model calls the tools. */
import { ToolError } from "hermes/plugin";
import units from "./data/units.json" with { type: "json" };
import { evaluate } from "./expression.ts";

const TABLES: Record<string, number>[] = Object.values(units);

export function calculate({ expression }: { expression: string }): Record<string, unknown> {
  if (expression.trim() === "") throw new ToolError("No expression provided");
  return { expression, result: evaluate(expression) };
}

export function unitConvert(
  args: { value: number; from_unit: string; to_unit: string },
): Record<string, unknown> {
  const { value, from_unit: from, to_unit: to } = args;
  const result = convertTemperature(value, from, to) ?? convertRatio(value, from, to);
  if (result === undefined) throw new ToolError(`Cannot convert ${from} to ${to}`);
  const rounded = Number(result.toFixed(6));
  return { input: `${value} ${from}`, result: rounded, output: `${rounded} ${to}` };
}

function convertTemperature(value: number, from: string, to: string): number | undefined {
  const toCelsius: Record<string, (degrees: number) => number> = {
    C: (degrees) => degrees,
    F: (degrees) => (degrees - 32) * 5 / 9,
    K: (degrees) => degrees - 273.15,
  };
  const fromCelsius: Record<string, (degrees: number) => number> = {
    C: (degrees) => degrees,
    F: (degrees) => degrees * 9 / 5 + 32,
    K: (degrees) => degrees + 273.15,
  };
  const celsius = toCelsius[from.toUpperCase()]?.(value);
  return celsius === undefined ? undefined : fromCelsius[to.toUpperCase()]?.(celsius);
}

function convertRatio(value: number, from: string, to: string): number | undefined {
  for (const table of TABLES) {
    const factor = (unit: string) =>
      Object.entries(table).find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1];
    const [a, b] = [factor(from), factor(to)];
    if (a !== undefined && b !== undefined) return value * a / b;
  }
  return undefined;
}
