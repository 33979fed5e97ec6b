// Asynchronous work on many things, a limited number of them at the same time.

/**
 * Calls `work` for the numbers below `count`, started in ascending order, `atOnce` at a time. After a
 * failure no further call is started; once the running calls have ended, the failure of the smallest
 * number is thrown.
 */
export async function inOrder<T>(
  count: number,
  atOnce: number,
  work: (at: number) => Promise<T>,
): Promise<readonly T[]> {
  const results: T[] = new Array(count)
  let next = 0
  let failedAt = count
  let failure: unknown
  const workOn = async (): Promise<void> => {
    while (next < failedAt) {
      const at = next++
      try {
        results[at] = await work(at)
      } catch (error) {
        if (at > failedAt) continue
        failedAt = at
        failure = error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, workOn))
  if (failedAt < count) throw failure
  return results
}
