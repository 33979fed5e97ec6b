// Counts the lines of a text.

export class Lines {
  /** The number of the current line, from 1 on, and the offset of its first byte in the text. */
  count = 1
  start = 0

  /** A line begins at this offset. */
  add(start: number): void {
    this.count++
    this.start = start
  }

  /** Returns the place after the byte before `offset`, which is in the current line. */
  place(offset: number): { readonly line: number; readonly column: number } {
    return { line: this.count, column: offset - this.start }
  }
}
