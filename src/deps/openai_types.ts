/** The types of OpenAI's npm package, for `src/providers/openai_wire_test.ts`. Nothing of it is ever loaded. */
export type { OpenAI } from "npm:openai@7.53.0";
