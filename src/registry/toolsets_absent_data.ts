/**
 * Toolsets and tools that configurations of other builds name and this one does not have. Known,
 * so that such a configuration works and a disabled name stays disabled; nothing is offered from
 * here. What a build gains moves to `toolsets_data.ts`.
 */

/** Tools by toolset, in words; where a toolset has none of its own it is empty. */
const ABSENT: Readonly<Record<string, string>> = {
  web: "web_search web_extract",
  search: "web_search",
  "x_search": "x_search",
  vision: "vision_analyze",
  video: "video_analyze",
  "image_gen": "image_generate",
  "video_gen": "video_generate xai_video_edit xai_video_extend",
  bfl: "bfl_flux3_text_to_video bfl_flux3_image_to_video bfl_flux3_keyframes_to_video " +
    "bfl_flux3_video_continuation bfl_flux3_get_result bfl_flux3_prompting_guide",
  "computer_use": "computer_use",
  memory: "memory",
  "session_search": "session_search",
  delegation: "delegate_task",
  skills: "skills_list skill_view skill_manage",
  browser: "browser_navigate browser_snapshot browser_click browser_type browser_scroll " +
    "browser_back browser_press browser_get_images browser_vision browser_console " +
    "browser_dialog browser_exec",
  "browser-cdp": "browser_cdp browser_dialog",
  tts: "text_to_speech",
  cronjob: "cronjob",
  messaging: "send_message",
  moa: "mixture_of_agents",
  rl: "rl_list_environments rl_select_environment rl_get_current_config rl_edit_config " +
    "rl_start_training rl_check_status rl_stop_training rl_get_results rl_list_runs " +
    "rl_test_inference",
  "context_engine": "",
  project: "project_list project_create project_switch",
  "desktop_ui": "read_terminal close_terminal open_preview close_preview read_preview " +
    "drive_preview annotate_preview read_window_below focus_pane react_to_message setup_mcp tour",
  kanban: "kanban_show kanban_list kanban_complete kanban_block kanban_request_review " +
    "kanban_request_changes kanban_heartbeat kanban_comment kanban_create kanban_link " +
    "kanban_unblock kanban_attach kanban_attach_url kanban_attachments",
  homeassistant: "ha_list_entities ha_get_state ha_list_services ha_call_service",
  discord: "discord",
  "discord_admin": "discord_admin",
  yuanbao: "yb_query_group_info yb_query_group_members yb_send_dm yb_search_sticker " +
    "yb_send_sticker",
  "feishu_doc": "feishu_doc_read",
  "feishu_drive": "feishu_drive_list_comments feishu_drive_list_comment_replies " +
    "feishu_drive_reply_comment feishu_drive_add_comment",
  spotify: "spotify_playback spotify_devices spotify_queue spotify_search spotify_playlists " +
    "spotify_albums spotify_library",
  safe: "",
  "web_tools": "web_search web_extract",
  "vision_tools": "vision_analyze",
  "image_tools": "image_generate",
  "skills_tools": "skills_list skill_view skill_manage",
  "browser_tools": "browser_navigate browser_snapshot browser_click browser_type browser_scroll " +
    "browser_back browser_press browser_get_images browser_vision browser_console",
  "cronjob_tools": "cronjob",
  "tts_tools": "text_to_speech",
};

/** Presets of surfaces that this build does not have. */
const SURFACES =
  "acp api-server bluebubbles cron dingtalk discord email feishu gateway homeassistant " +
  "matrix mattermost qqbot signal slack sms telegram webhook wecom wecom-callback weixin whatsapp " +
  "yuanbao";

/** Tools by the name of a toolset that this build does not have. */
export const ABSENT_TOOLSETS: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(ABSENT).map(([name, tools]) => [name, words(tools)] as const),
  ...words(SURFACES).map((name) => [`hermes-${name}`, words("")] as const),
]);

function words(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}
