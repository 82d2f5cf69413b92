/**
 * The floor: what a bare agent costs on Deno. `fetch`, server-sent events, one shell tool,
 * nothing else. Budgets are multiples of this. Usage: floor_agent.ts BASE_URL PROMPT
 */
const [baseUrl, prompt] = Deno.args;
const messages: unknown[] = [{ role: "user", content: prompt }];
const tools = [{
  type: "function",
  function: {
    name: "terminal",
    description: "Run a shell command",
    parameters: {
      type: "object",
      properties: { command: { type: "string" } },
      required: ["command"],
    },
  },
}];

interface Delta {
  content?: string;
  "tool_calls"?: { id?: string; function: { name?: string; arguments?: string } }[];
}

while (true) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "floor", stream: true, messages, tools }),
  });
  let text = "";
  let id = "";
  let args = "";
  let buffer = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    buffer += chunk;
    const lines = buffer.split("\n");
    buffer = lines.pop()!;
    for (const line of lines) {
      if (!line.startsWith("data: {")) continue;
      const delta = JSON.parse(line.slice(6)).choices[0]?.delta as Delta | undefined;
      text += delta?.content ?? "";
      for (const call of delta?.tool_calls ?? []) {
        id = call.id ?? id;
        args += call.function.arguments ?? "";
      }
    }
  }
  if (id === "") {
    console.log(text);
    break;
  }
  const { command } = JSON.parse(args);
  const result = await new Deno.Command("sh", { args: ["-c", command] }).output();
  messages.push(
    {
      role: "assistant",
      tool_calls: [{ id, type: "function", function: { name: "terminal", arguments: args } }],
    },
    { role: "tool", tool_call_id: id, content: new TextDecoder().decode(result.stdout) },
  );
}
