// Describes the fault of a text that should be an absolute URL, with messages that clients' tests
// expect.

const SCHEME = /^[a-z][a-z0-9+.-]*:/i
const AUTHORITY = /^[a-z][a-z0-9+.-]*:[/\\]*([^/\\?#]*)/i

/** Returns null if the URL is valid. */
export function urlProblem(text: string): string | null {
  if (URL.canParse(text)) return null
  const trimmed = text.trim()
  if (!SCHEME.test(trimmed)) return 'relative URL without a base'
  const authority = AUTHORITY.exec(trimmed)?.[1] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (host.startsWith('[')) {
    const end = host.indexOf(']')
    return end < 0 || !URL.canParse(`http://${host.slice(0, end + 1)}`)
      ? 'invalid IPv6 address'
      : 'invalid port number'
  }
  const [name = '', port] = host.split(':')
  if (name === '') return 'empty host'
  if (port !== undefined && !URL.canParse(`http://a:${port}`)) return 'invalid port number'
  if (/^[\d.]+$/.test(name)) return 'invalid IPv4 address'
  return 'invalid international domain name'
}
