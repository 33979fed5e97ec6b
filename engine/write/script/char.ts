// A character as scripts have it: a value that is not a text of one character.

/** One character. */
export class Char {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
