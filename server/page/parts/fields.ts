// Fields of forms.
import { h } from './element.ts'

/** Returns a labelled control. */
export const field = (label: string, control: HTMLElement): HTMLLabelElement =>
  h('label', { class: 'field' }, label, control)

/** Returns a text field without the browser's help. */
export const textField = (
  attributes: { readonly [name: string]: unknown } = {},
): HTMLInputElement =>
  h('input', { type: 'text', spellcheck: 'false', autocomplete: 'off', ...attributes })

/** Attributes of a field for the name of an index. */
export const INDEX_NAME = {
  required: true,
  pattern: '[A-Za-z0-9_\\-]+',
  title: 'Letters, digits, - and _',
  maxlength: 400,
} as const
