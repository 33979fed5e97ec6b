// Headers as Node sends them: a byte for each character.
import { headerValueProblem } from '../../engine/index.ts'

type Headers = { readonly [name: string]: string }

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Returns why headers cannot be sent, or null if they can: Node would throw. */
export function headersProblem(headers: Headers): string | null {
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name)) return `the header ${JSON.stringify(name)} cannot be sent`
    const problem = headerValueProblem(value)
    if (problem !== null) return `the header \`${name}\` cannot be sent: its value ${problem}`
  }
  return null
}

/** Returns the headers with the UTF-8 bytes of their values. */
export const sentHeaders = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]),
  )
