// A character as a script value, distinct from a string of one character.

export class Char {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
