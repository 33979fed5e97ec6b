// Failures of calls as messages, which hold no address.
import { REJECTED, TIMED_OUT } from './connections.ts'

export type Failure = {
  /** The address may not be called. */
  readonly isRejected: boolean
  readonly message: string
}

/** Codes of undici for failures that the system or Node's parser has a code for. */
const SYSTEM_CODES: { readonly [code: string]: string } = {
  // A status below 100, or a change of protocols that was not requested.
  ERR_ASSERTION: 'HPE_INVALID_STATUS',
  UND_ERR_HEADERS_OVERFLOW: 'HPE_HEADER_OVERFLOW',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'ECONNRESET',
  UND_ERR_SOCKET: 'ECONNRESET',
}

export function failureOf({ code, name, message }: NodeJS.ErrnoException): Failure {
  if (code === REJECTED) return { isRejected: true, message: 'bad uri: Rejected URI' }
  return { isRejected: false, message: `error sending request: ${reasonOf(code, name, message)}` }
}

function reasonOf(code: string | undefined, name: string, message: string): string {
  if (code === TIMED_OUT) return message
  if (code !== undefined) return SYSTEM_CODES[code] ?? code
  // Has no code.
  return name === 'HTTPParserError' ? 'the answer is cut or is not HTTP' : message
}
