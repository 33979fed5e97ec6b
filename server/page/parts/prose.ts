// Texts of the description of the API: names and values stand between backticks.
import { type Child, h } from './element.ts'

/** Returns a paragraph with names and values as code, or null without a text. */
export const about = (text: string | undefined): HTMLElement | null =>
  text === undefined ? null : h('p', { class: 'about' }, pieces(text))

const pieces = (text: string): readonly Child[] =>
  text.split('`').map((piece, i) => (i % 2 === 1 ? h('code', {}, piece) : piece))
