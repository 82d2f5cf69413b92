#!/usr/bin/env bash
# The body of action.yml: installs hermes unless one is given, runs the job, and turns its end
# into outputs, an annotation and the exit code. Inputs come as INPUT_… variables, never as text
# of a command. The job summary is written by hermes itself.
set -uo pipefail

# A message in the form of a workflow command.
annotate() {
  local text=${2//'%'/%25}
  text=${text//$'\r'/%0D}
  text=${text//$'\n'/%0A}
  echo "::$1 title=hermes run::$text"
}

# The executable: the given one, or the release, installed for this job.
find_hermes() {
  if [[ -n ${INPUT_HERMES_PATH:-} ]]; then
    echo "$INPUT_HERMES_PATH"
    return
  fi
  local options=(--from "$INPUT_RELEASES_URL" --dir "$RUNNER_TEMP/hermes/bin")
  [[ -z ${INPUT_VERSION:-} ]] || options+=(--version "$INPUT_VERSION")
  sh "$(dirname "${BASH_SOURCE[0]}")/install.sh" "${options[@]}" >&2 || return
  echo "$RUNNER_TEMP/hermes/bin" >> "$GITHUB_PATH"
  echo "$RUNNER_TEMP/hermes/bin/hermes"
}

# Fills `arguments` from the inputs.
collect_arguments() {
  local name variable
  arguments=(run --output-last-message "$answer_file")
  for name in model base-url toolsets disable-toolsets output-schema max-turns max-tokens \
    max-cost timeout approve prompt-file; do
    variable=${name//-/_}
    variable=INPUT_$(tr '[:lower:]' '[:upper:]' <<< "$variable")
    [[ -z ${!variable:-} ]] || arguments+=("--$name" "${!variable}")
  done
  if [[ -n ${INPUT_ARGS:-} ]]; then
    while IFS= read -r name; do [[ -z $name ]] || arguments+=("$name"); done <<< "$INPUT_ARGS"
  fi
  [[ -z ${INPUT_PROMPT:-} ]] || arguments+=(-- "$INPUT_PROMPT")
}

# A value of any content as an output of this step.
output() {
  local mark
  mark=end_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '%s<<%s\n%s\n%s\n' "$1" "$mark" "$2" "$mark" >> "$GITHUB_OUTPUT"
}

work=$(mktemp -d "$RUNNER_TEMP/hermes-run.XXXXXX")
answer_file=$work/answer
if ! hermes=$(find_hermes); then
  annotate error "hermes could not be installed; the log says why"
  exit 1
fi
collect_arguments

# What a model or a command prints must not be taken for commands to the runner.
mark=pause_$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$mark"
{ "$hermes" "${arguments[@]}" 2>&1 >&3 < /dev/null | tee "$work/progress" >&2; } 3>&1
code=${PIPESTATUS[0]}
echo
echo "::$mark::"

output exit-code "$code"
output answer-file "$answer_file"
output answer "$(cat "$answer_file" 2> /dev/null)"
output session-id "$(sed -n 's/.*session \([0-9a-z]\{26\}\).*/\1/p' "$work/progress" | head -n 1)"
if ((code != 0)); then
  reason=$(grep '^hermes: ' "$work/progress" | tail -n 1)
  level=error
  [[ ${INPUT_ALLOW_FAILURE:-} != true ]] || level=warning
  annotate "$level" "${reason:-hermes ended} (exit code $code)"
fi
[[ ${INPUT_ALLOW_FAILURE:-} != true ]] || exit 0
exit "$code"
