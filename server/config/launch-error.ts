// A reason why the server does not start. It is printed on stderr, then the process ends with the
// exit code.

export class LaunchError extends Error {
  override readonly name = 'LaunchError'
  constructor(
    message: string,
    /** 2 if the command line or the environment is wrong, else 1. */
    readonly exitCode: 1 | 2,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options)
  }
}

/** A value that an option does not accept; `message` is the reason only. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}
