// A request as code: a curl command, JavaScript or Python. Each reads the key from a variable,
// because code is shown and shared.
import { copyButton } from './copy-button.ts'
import { fill, h } from './element.ts'
import { hasKey, serverUrl } from './server.ts'

export type SentRequest = {
  readonly method: string
  /** Path and query string. */
  readonly target: string
  /** The body, or null to send none. */
  readonly body: { readonly type: string; readonly text: string } | null
}
type Language = (request: SentRequest, origin: string, hasKey: boolean) => string

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const curlOf: Language = ({ method, target, body }, origin, hasKey) =>
  [
    `curl -X ${method} ${quoted(origin + target)}`,
    ...(hasKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(body === null
      ? []
      : [`-H ${quoted(`Content-Type: ${body.type}`)}`, `--data-binary ${quoted(body.text)}`]),
  ].join(' \\\n  ')

export const javaScriptOf: Language = ({ method, target, body }, origin, hasKey) => {
  const headers = [
    ...(body === null ? [] : [`'Content-Type': ${JSON.stringify(body.type)}`]),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code as text
    ...(hasKey ? ['Authorization: `Bearer ${process.env.KEY}`'] : []),
  ]
  const json = body === null ? null : jsonOf(body)
  return [
    `const response = await fetch(${JSON.stringify(origin + target)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body === null
      ? []
      : json === null
        ? [`  body: ${JSON.stringify(body.text)},`]
        : [`  body: JSON.stringify(${indented(literalOf(json.value))}),`]),
    '})',
    'console.log(await response.json())',
  ].join('\n')
}

export const pythonOf: Language = ({ method, target, body }, origin, hasKey) => {
  const json = body === null ? null : jsonOf(body)
  const headers = [
    ...(body === null || json !== null ? [] : [`"Content-Type": ${pythonText(body.type)}`]),
    ...(hasKey ? ['"Authorization": "Bearer " + os.environ["KEY"]'] : []),
  ]
  return [
    ...(hasKey ? ['import os'] : []),
    'import requests',
    '',
    'response = requests.request(',
    `  ${pythonText(method)},`,
    `  ${pythonText(origin + target)},`,
    ...(headers.length === 0 ? [] : [`  headers={${headers.join(', ')}},`]),
    ...(body === null
      ? []
      : json === null
        ? [`  data=${pythonText(body.text)}.encode(),`]
        : [`  json=${indented(pythonValue(json.value, ''))},`]),
    ')',
    'print(response.json())',
  ].join('\n')
}

/** A JSON text is also one of JavaScript, but there this name sets the prototype of an object. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(/^( *)"__proto__":/gm, '$1["__proto__"]:')

const indented = (text: string): string => text.replaceAll('\n', '\n  ')

/** Returns the value of a JSON body, or null if it is not JSON. */
function jsonOf({ type, text }: NonNullable<SentRequest['body']>): { value: unknown } | null {
  if (type !== 'application/json') return null
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}

/** A JSON text is also one of Python: both know the same escapes. */
const pythonText = (text: string): string => JSON.stringify(text)

function pythonValue(value: unknown, indent: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inside = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((element) => pythonValue(element, inside))
    : Object.entries(value).map(
        ([name, member]) => `${pythonText(name)}: ${pythonValue(member, inside)}`,
      )
  if (parts.length === 0) return `${open}${close}`
  return `${open}\n${inside}${parts.join(`,\n${inside}`)}\n${indent}${close}`
}

const LANGUAGES = { curl: curlOf, JavaScript: javaScriptOf, Python: pythonOf } as const

/** Returns the code of a request with a choice of its language, and a button that copies it. */
export function requestCode(request: SentRequest): HTMLElement {
  const code = h('pre', { tabindex: '0' })
  const buttons = Object.entries(LANGUAGES).map(([name, language]) => {
    const show = (): void => {
      fill(code, language(request, serverUrl(), hasKey()))
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button))
    }
    const button: HTMLButtonElement = h(
      'button',
      { class: 'quiet small', type: 'button', 'aria-pressed': 'false', onclick: show },
      name,
    )
    return button
  })
  buttons[0]?.click()
  const copy = copyButton(() => code.textContent ?? '', 'Copy')
  return h(
    'div',
    { class: 'command code-of' },
    h('div', { class: 'languages', role: 'group', 'aria-label': 'The request as' }, buttons, copy),
    code,
  )
}
