// A template, or the data it was rendered with, is wrong: the client's fault.
import { FAULT_LENGTH_MAX } from './limits.ts'

/** `words` complete a sentence of the caller. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
  readonly words: string

  constructor(
    readonly kind: 'parsing' | 'rendering',
    words: string,
  ) {
    const isLong = words.length > FAULT_LENGTH_MAX
    const short = isLong ? `${words.slice(0, FAULT_LENGTH_MAX)}…\n` : words
    super(short)
    this.words = short
  }
}
