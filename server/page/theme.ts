// Light or dark: as the system has it, until somebody chooses. The choice is all that the page
// keeps in the browser.
import { fill, h, ICONS, icon } from './element.ts'

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
    remember(theme)
    show()
  })
  show()
  return button
}

function remembered(): Theme {
  try {
    const kept = localStorage.getItem(NAME)
    return THEMES.find((theme) => theme === kept) ?? 'system'
  } catch (error) {
    // A browser may forbid storage.
    if (!(error instanceof DOMException)) throw error
    return 'system'
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(NAME, theme)
  } catch (error) {
    // Then the choice lasts as long as the page.
    if (!(error instanceof DOMException)) throw error
  }
}
