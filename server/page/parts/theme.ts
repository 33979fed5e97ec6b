// The light or dark theme: the system's preference, or the user's choice, which the browser stores.
import { fill, h, ICONS, icon } from './element.ts'
import { readStored, writeStored } from './storage.ts'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const NAME = 'svc-preview-theme'
const ICON_OF = { system: ICONS.system, light: ICONS.sun, dark: ICONS.moon } as const

export function themeButton(): HTMLButtonElement {
  let theme = remembered()
  const button = h('button', { class: 'quiet', type: 'button' })
  const show = (): void => {
    if (theme === 'system') document.documentElement.removeAttribute('data-theme')
    else document.documentElement.setAttribute('data-theme', theme)
    button.setAttribute('aria-label', `Colours: ${theme}`)
    button.title = `Colours: ${theme}`
    fill(button, icon(ICON_OF[theme]))
  }
  button.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
    writeStored(() => localStorage, NAME, theme)
    show()
  })
  show()
  return button
}

function remembered(): Theme {
  const kept = readStored(() => localStorage, NAME)
  return THEMES.find((theme) => theme === kept) ?? 'system'
}
