// Work that is put off a little, so that it is done once where it was asked for many times.

/** A function that does `work` once `pauseMs` after the first call since it was last done. */
export function later(pauseMs: number, work: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      work()
    }, pauseMs)
  }
}
