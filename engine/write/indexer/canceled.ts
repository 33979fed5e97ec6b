// What ends a job that nobody wants any more.

/** Thrown by `progress` when the job is to be given up. */
export class JobCanceled extends Error {
  override readonly name = 'JobCanceled'
}
