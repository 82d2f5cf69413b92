/** Every static toolset as data: named groups of tools, composites, platform presets, legacy names. */

export interface ToolsetSpec {
  description: string;
  tools: readonly string[];
  includes?: readonly string[];
  /** A whole way of working: disabling it removes only what the core list does not have. */
  posture?: boolean;
}

const FILE = ["read_file", "write_file", "patch", "search_files"];
const SKILLS = ["skills_list", "skill_view", "skill_manage"];
const CLASSIC_BROWSER = [
  "browser_navigate",
  "browser_snapshot",
  "browser_click",
  "browser_type",
  "browser_scroll",
  "browser_back",
  "browser_press",
  "browser_get_images",
  "browser_vision",
  "browser_console",
];
const BROWSER = [...CLASSIC_BROWSER, "browser_cdp", "browser_dialog", "browser_exec"];
const HOME_ASSISTANT = ["ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"];

const BFL = named(
  "bfl_flux3_",
  "text_to_video image_to_video keyframes_to_video video_continuation get_result prompting_guide",
);
const KANBAN = named(
  "kanban_",
  "show list complete block request_review request_changes heartbeat comment create link unblock " +
    "attach attach_url attachments",
);

/** What every interactive surface offers, as far as each tool is available. */
export const CORE_TOOLS: readonly string[] = [
  "web_search",
  "web_extract",
  "terminal",
  "process",
  ...FILE,
  "vision_analyze",
  "image_generate",
  ...BFL,
  ...SKILLS,
  ...BROWSER,
  "text_to_speech",
  "todo",
  "memory",
  "session_search",
  "clarify",
  "execute_code",
  "delegate_task",
  "cronjob",
  ...HOME_ASSISTANT,
  ...KANBAN,
  "computer_use",
];

const CODING = [
  "web_search",
  "web_extract",
  "terminal",
  "process",
  ...FILE,
  "vision_analyze",
  ...SKILLS,
  ...BROWSER,
  "todo",
  "memory",
  "session_search",
  "clarify",
  "execute_code",
  "delegate_task",
];

/** Surfaces whose preset is exactly the core list. */
const CORE_PLATFORMS = [
  "cli",
  "cron",
  "telegram",
  "whatsapp",
  "slack",
  "signal",
  "bluebubbles",
  "homeassistant",
  "email",
  "mattermost",
  "matrix",
  "dingtalk",
  "weixin",
  "qqbot",
  "wecom",
  "wecom-callback",
  "sms",
];
const DISCORD = ["discord", "discord_admin"];
const FEISHU_DRIVE = [
  "feishu_drive_list_comments",
  "feishu_drive_list_comment_replies",
  "feishu_drive_reply_comment",
  "feishu_drive_add_comment",
];
const YUANBAO = [
  "yb_query_group_info",
  "yb_query_group_members",
  "yb_send_dm",
  "yb_search_sticker",
  "yb_send_sticker",
];

function single(tool: string, description: string): ToolsetSpec {
  return { description, tools: [tool] };
}

/** Tools whose names share a beginning. */
function named(prefix: string, names: string): string[] {
  return names.split(" ").map((name) => prefix + name);
}

function without(tools: readonly string[], ...removed: string[]): string[] {
  return tools.filter((tool) => !removed.includes(tool));
}

export const TOOLSETS: Readonly<Record<string, ToolsetSpec>> = {
  web: { description: "Search the web and read pages", tools: ["web_search", "web_extract"] },
  search: single("web_search", "Search the web without reading pages"),
  "x_search": single("x_search", "Search posts on X"),
  vision: single("vision_analyze", "Look at images"),
  video: single("video_analyze", "Look at videos"),
  "image_gen": single("image_generate", "Make images"),
  "video_gen": {
    description: "Make and edit videos",
    tools: ["video_generate", "xai_video_edit", "xai_video_extend"],
  },
  bfl: { description: "Make videos with Flux", tools: BFL },
  "computer_use": single("computer_use", "Operate the desktop"),
  terminal: {
    description: "Run commands and background processes",
    tools: ["terminal", "process"],
  },
  file: { description: "Read, write, patch and search files", tools: FILE },
  "code_execution": single("execute_code", "Run scripts that call tools"),
  todo: single("todo", "Keep a task list"),
  clarify: single("clarify", "Ask the person a question"),
  memory: single("memory", "Remember across sessions"),
  "session_search": single("session_search", "Search earlier sessions"),
  delegation: single("delegate_task", "Hand work to sub-agents"),
  skills: { description: "List, read and manage skills", tools: SKILLS },
  browser: { description: "Drive a browser", tools: [...BROWSER, "web_search"] },
  tts: single("text_to_speech", "Speak text"),
  cronjob: single("cronjob", "Schedule jobs"),
  "context_engine": { description: "Tools of a replacement context engine", tools: [] },
  project: {
    description: "Switch between projects",
    tools: named("project_", "list create switch"),
  },
  "desktop_ui": {
    description: "Panes and previews of the desktop app",
    tools: named(
      "",
      "read_terminal close_terminal open_preview close_preview read_preview drive_preview " +
        "annotate_preview read_window_below focus_pane react_to_message setup_mcp tour",
    ),
  },
  kanban: { description: "Work on a shared board", tools: KANBAN },
  homeassistant: { description: "Smart home", tools: HOME_ASSISTANT },
  discord: single("discord", "Read and write on Discord"),
  "discord_admin": single("discord_admin", "Moderate Discord"),
  yuanbao: { description: "Yuanbao groups", tools: YUANBAO },
  "feishu_doc": single("feishu_doc_read", "Read Feishu documents"),
  "feishu_drive": { description: "Comment on Feishu documents", tools: FEISHU_DRIVE },
  spotify: {
    description: "Music",
    tools: named("spotify_", "playback devices queue search playlists albums library"),
  },

  debugging: {
    description: "Commands, files and the web",
    tools: ["terminal", "process"],
    includes: ["web", "file"],
  },
  safe: {
    description: "Nothing that touches this machine",
    tools: [],
    includes: ["web", "vision", "image_gen"],
  },
  coding: { description: "Software work", tools: CODING, posture: true },

  ...Object.fromEntries(
    CORE_PLATFORMS.map((name) => [
      `hermes-${name}`,
      { description: `Preset of the ${name} surface`, tools: CORE_TOOLS },
    ]),
  ),
  "hermes-run": {
    description: "Preset of headless runs: nobody to ask",
    tools: without(CORE_TOOLS, "clarify"),
  },
  "hermes-acp": { description: "Preset for editors", tools: without(CODING, "clarify") },
  "hermes-api-server": {
    description: "Preset of the HTTP API",
    tools: without(CORE_TOOLS, "clarify", "text_to_speech", "computer_use", ...KANBAN),
  },
  "hermes-discord": {
    description: "Preset of the discord surface",
    tools: [...CORE_TOOLS, ...DISCORD],
  },
  "hermes-feishu": {
    description: "Preset of the feishu surface",
    tools: [...CORE_TOOLS, "feishu_doc_read", ...FEISHU_DRIVE],
  },
  "hermes-yuanbao": {
    description: "Preset of the yuanbao surface",
    tools: [...CORE_TOOLS, ...YUANBAO],
  },
  "hermes-webhook": {
    description: "Preset for untrusted input",
    tools: ["web_search", "web_extract", "vision_analyze", "clarify"],
  },
  "hermes-gateway": {
    description: "Every messaging preset",
    tools: [],
    includes: [
      ...CORE_PLATFORMS.filter((name) => name !== "cli" && name !== "cron"),
      "discord",
      "feishu",
      "yuanbao",
    ].map((name) => `hermes-${name}`),
  },
};

/** Names of earlier releases, still accepted. */
export const LEGACY_TOOLSETS: Readonly<Record<string, readonly string[]>> = {
  "web_tools": ["web_search", "web_extract"],
  "terminal_tools": ["terminal"],
  "vision_tools": ["vision_analyze"],
  "image_tools": ["image_generate"],
  "skills_tools": SKILLS,
  "browser_tools": CLASSIC_BROWSER,
  "cronjob_tools": ["cronjob"],
  "file_tools": FILE,
  "tts_tools": ["text_to_speech"],
};
