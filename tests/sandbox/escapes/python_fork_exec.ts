/** Starts a program by the helper under subprocess. */
import { defineAttempt } from "../_attempt.ts";

export const attempt = defineAttempt({
  python: () =>
    `import _posixsubprocess, os
out, into = os.pipe()
arguments = ([b"/bin/true"], [b"/bin/true"], True, (), None, None, -1, -1, -1, -1, -1, -1, out, into, False, False)
for tail in ((-1, None, None, None, -1, None, False), (0, None, None, None, -1, None, False), (None, None, None, -1, None)):
    try:
        return _posixsubprocess.fork_exec(*arguments, *tail)
    except TypeError:
        pass`,
});
