// The controls of the header, the key and the theme, the button that copies, fields, and requests as
// code, without a browser.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { act, markup, settled, stubPage } from '../test-dom.ts'
import { command, copyButton } from './copy-button.ts'
import { ICONS } from './element.ts'
import { field, INDEX_NAME, textField } from './fields.ts'
import { KeyControl } from './key-control.ts'
import { imageOrigins } from './options.ts'
import { changedOptions, DEFAULT_OPTIONS } from './search-options.ts'
import { hasKey, indexPath, restoreKey, setKey } from './server.ts'
import { requestCode } from './snippets.ts'
import { themeButton } from './theme.ts'

beforeEach(() => stubPage())
afterEach(() => {
  setKey('', false)
  vi.unstubAllGlobals()
})

it('a key is entered in a dialog, and removed', () => {
  let changes = 0
  const control = new KeyControl(() => changes++)
  const { button, dialog } = control
  document.body.append(button, dialog)
  expect(button.getAttribute('title')).toBe('API key: not set')
  button.click()
  expect(dialog.open).toBe(true)
  expect(markup(dialog)).toMatchInlineSnapshot(`
    "<dialog aria-labelledby="key-heading" open>
      <h2 id="key-heading">API key
      <p class="muted">No key is in use. A key is sent with every request of this page, and to this server only.
      <form class="key-form">
        <label class="field">
          "Master key or API key"
          <input type="password" name="key" autocomplete="off" spellcheck="false" required autofocus>
        <label class="check">
          <input type="checkbox">
          "Keep the key until this tab is closed"
        <p class="muted">Otherwise a reload of the page forgets it.
        <div class="buttons">
          <button class="primary" type="submit">Use this key
    "
  `)
  const [field, kept] = dialog.querySelectorAll('input')
  field!.value = 'secret'
  kept!.checked = true
  expect(act(dialog.querySelector('form')!, 'submit').defaultPrevented).toBe(true)
  expect([hasKey(), changes, dialog.open, dialog.textContent]).toEqual([true, 1, false, ''])
  expect([sessionStorage.getItem('svc-preview-key'), button.getAttribute('class')]).toEqual([
    'secret',
    'quiet is-on',
  ])
  button.click()
  expect(dialog.textContent).toContain('A key is in use')
  dialog.querySelector('button')!.click()
  expect([hasKey(), changes, sessionStorage.getItem('svc-preview-key')]).toEqual([false, 2, null])
  expect([button.getAttribute('title'), button.getAttribute('class')]).toEqual([
    'API key: not set',
    'quiet',
  ])
  const refused = control.form('why')
  expect(refused.querySelector('input')!.getAttribute('aria-invalid')).toBe('true')
  expect(refused.textContent).toContain('why')
})

it('the theme follows the system, or the choice that is remembered', () => {
  const theme = (): string | null => document.documentElement.getAttribute('data-theme')
  const button = themeButton()
  const shown = (): string | null => button.querySelector('path')!.getAttribute('d')
  const states = [theme()]
  const icons = [shown()]
  for (let i = 0; i < 3; i++) {
    button.click()
    states.push(theme())
    icons.push(shown())
  }
  expect(states).toEqual([null, 'light', 'dark', null])
  expect(icons).toEqual([ICONS.system, ICONS.sun, ICONS.moon, ICONS.system])
  button.click()
  expect([theme(), button.getAttribute('title')]).toEqual(['light', 'Colours: light'])
  document.documentElement.removeAttribute('data-theme')
  themeButton()
  expect(theme()).toBe('light')
  localStorage.setItem('svc-preview-theme', 'odd')
  expect(themeButton().getAttribute('aria-label')).toBe('Colours: system')
})

it('a button copies a text, and says for a moment whether it was allowed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const copied: string[] = []
  const denied = () => Promise.reject(new Error('denied'))
  const allowed = (text: string) => Promise.resolve(void copied.push(text))
  for (const [clipboard, words] of [
    [{ writeText: allowed }, 'Copied'],
    [{ writeText: denied }, 'Not allowed here'],
    [undefined, 'Not allowed here'],
  ] as const) {
    vi.stubGlobal('navigator', { clipboard })
    const button = copyButton(() => 'text', 'Copy')
    button.click()
    await settled()
    expect(button.textContent).toBe(words)
    vi.advanceTimersByTime(1500)
    expect(button.textContent).toBe('Copy')
  }
  expect(copied).toEqual(['text'])
  vi.useRealTimers()
})

it('a request is shown as code of a chosen language, which is copied', async () => {
  const copied: string[] = []
  vi.stubGlobal('navigator', {
    clipboard: { writeText: async (text: string) => copied.push(text) },
  })
  const shown = requestCode({ method: 'GET', target: '/health', body: null })
  const code = shown.querySelector('pre')!
  const [curl, javaScript, python, copy] = shown.querySelectorAll('button')
  const pressed = () =>
    [curl, javaScript, python].map((button) => button!.getAttribute('aria-pressed'))
  expect([curl, javaScript, python].map((button) => button!.textContent)).toEqual([
    'curl',
    'JavaScript',
    'Python',
  ])
  expect([code.textContent, pressed()]).toEqual([
    "curl -X GET 'http://host:7700/health'",
    ['true', 'false', 'false'],
  ])
  javaScript!.click()
  expect([code.textContent, pressed()]).toEqual([
    'const response = await fetch("http://host:7700/health", {\n  method: "GET",\n})\n' +
      'console.log(await response.json())',
    ['false', 'true', 'false'],
  ])
  setKey('k', false)
  python!.click()
  expect([code.textContent, pressed()]).toEqual([
    'import os\nimport requests\n\nresponse = requests.request(\n  "GET",\n' +
      '  "http://host:7700/health",\n' +
      '  headers={"Authorization": "Bearer " + os.environ["KEY"]},\n)\nprint(response.json())',
    ['false', 'false', 'true'],
  ])
  copy!.click()
  await settled()
  expect(copied).toEqual([code.textContent])
})

it('a command has a button that copies it', () => {
  const copied: string[] = []
  vi.stubGlobal('navigator', {
    clipboard: { writeText: async (text: string) => copied.push(text) },
  })
  const shown = command('svc --help')
  expect(shown.querySelector('pre')!.textContent).toBe('svc --help')
  shown.querySelector('button')!.click()
  expect([copied, shown.querySelector('button')!.textContent]).toEqual([['svc --help'], 'Copy'])
})

it('a field has a label, and the browser does not help', () => {
  const shown = field('Name', textField({ name: 'uid', ...INDEX_NAME }))
  expect(markup(shown)).toMatchInlineSnapshot(`
    "<label class="field">
      "Name"
      <input type="text" spellcheck="false" autocomplete="off" name="uid" required pattern="[A-Za-z0-9_\\-]+" title="Letters, digits, - and _" maxlength="400">
    "
  `)
  const pattern = new RegExp(`^${INDEX_NAME.pattern}$`, 'v')
  expect(['a-Z_9', 'a b', ''].map((name) => pattern.test(name))).toEqual([true, false, false])
})

it('the page has a key that the tab kept, and origins of pictures', () => {
  sessionStorage.setItem('svc-preview-key', 'kept')
  restoreKey()
  expect(hasKey()).toBe(true)
  sessionStorage.clear()
  restoreKey()
  expect(hasKey()).toBe(false)
  document.documentElement.dataset['images'] = 'https://a  https://b'
  expect(imageOrigins()).toEqual(['https://a', 'https://b'])
  delete document.documentElement.dataset['images']
  expect(imageOrigins()).toEqual([])
})

it('the options that differ from the defaults are known by name', () => {
  expect(changedOptions(DEFAULT_OPTIONS)).toEqual([])
  const changed = { strategy: 'all', isBoolean: true, isExact: true, fusion: 'rrf' } as const
  expect(changedOptions(changed)).toEqual(Object.keys(changed))
  expect(changedOptions({ ...DEFAULT_OPTIONS, isExact: true })).toEqual(['isExact'])
})

it('the path of an index has its name encoded', () => {
  expect([indexPath('a/b'), indexPath('a', '/stats')]).toEqual([
    '/indexes/a%2Fb',
    '/indexes/a/stats',
  ])
})
