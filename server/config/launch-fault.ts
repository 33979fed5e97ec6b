// Why the server does not start. Said on stderr, then the process ends with the code.

export class LaunchFault extends Error {
  override readonly name = 'LaunchFault'
  constructor(
    message: string,
    /** 2: the command line or the environment is wrong. 1: anything else. */
    readonly exitCode: 1 | 2,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options)
  }
}

/** A value that an option does not take; `message` is the reason alone. */
export class ValueProblem extends Error {
  override readonly name = 'ValueProblem'
}
