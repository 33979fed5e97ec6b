// A button that copies a text, and a terminal command with such a button.
import { fill, h, ICONS, icon } from './element.ts'

/** Shows for a moment whether the text was copied; browsers may forbid it. */
export function copyButton(text: () => string, name = 'Copy JSON'): HTMLButtonElement {
  const label = h('span', {}, name)
  const say = (words: string): void => {
    fill(label, words)
    setTimeout(() => fill(label, name), 1500)
  }
  const copy = (): void => {
    const clipboard = navigator.clipboard as Clipboard | undefined
    if (clipboard === undefined) say('Not allowed here')
    else
      clipboard.writeText(text()).then(
        () => say('Copied'),
        () => say('Not allowed here'),
      )
  }
  return h(
    'button',
    { class: 'quiet small', type: 'button', onclick: copy },
    icon(ICONS.copy),
    label,
  )
}

/** Returns a terminal command with a copy button. */
export function command(text: string): HTMLElement {
  const button = copyButton(() => text, 'Copy')
  return h('div', { class: 'command' }, h('pre', { tabindex: '0' }, text), button)
}
