// Which headers a request can carry (RFC 9110, section 5). Values are sent as UTF-8.

/** Names that the HTTP client sets itself, because they frame a request. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** Returns why a setting cannot name a header so, or null if it can: the end of a sentence. */
export function headerNameProblem(name: string): string | null {
  if (!NAME.test(name)) return 'cannot be sent'
  return OF_THE_CONNECTION.has(name.toLowerCase()) ? 'may not be set' : null
}

/**
 * Returns why a text cannot be the value of a header, such as a key, or null if it can. The end of
 * a sentence whose subject is the text; it does not quote it, because it may be a secret.
 */
export function headerValueProblem(value: string): string | null {
  if (!CONTROL.test(value)) return null
  return CONTROL.test(value.trimEnd())
    ? 'holds a line end or another control character, which no HTTP header can carry'
    : 'ends with a line end, as the content of a file does, which must be removed'
}
