/** Leaves memory and messages behind that outlive it. */
import { nativeAttempt } from "../_native.ts";

export const attempt = nativeAttempt([
  "shmget",
  "shmat",
  "shmctl",
  "msgget",
  "msgsnd",
  "semget",
  "semop",
  "mq_open",
  "mq_unlink",
  "memfd_create",
  "memfd_secret",
]);
