/** Lazy import of npm `@daytonaio/sdk`. */
export {
  Daytona,
  DaytonaAuthenticationError,
  DaytonaAuthorizationError,
  DaytonaNotFoundError,
  type PtyHandle,
  type Sandbox,
} from "npm:@daytonaio/sdk@0.218.0";
