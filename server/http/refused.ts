// Requests that Node's parser refuses before it builds a request object: the answer is written
// directly to the socket, which then ends. An unknown method, such as `patch` in lower case, gets
// the same answer as other wrong methods.

import type { Duplex } from 'node:stream'
import { NEWLINE } from '../../format/bytes/index.ts'
import { ALLOW_ORIGIN, VARY } from './messages/index.ts'
import type { Router } from './router.ts'
import { readTarget } from './target.ts'

const REASONS: { readonly [status: number]: string } = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

/** Node's error for a request that it could not parse. */
export type ParserFault = Error & {
  readonly code?: string
  readonly rawPacket?: Uint8Array
  readonly bytesParsed?: number
}

/** Writes an answer and ends the connection. */
export function refuseUnread(fault: ParserFault, socket: Duplex, router: Router): void {
  if (!socket.writable || fault.code === 'ECONNRESET') return void socket.destroy()
  const status = statusOf(fault, router)
  socket.end(
    `HTTP/1.1 ${status} ${REASONS[status]}\r\n` +
      `${ALLOW_ORIGIN.join(': ')}\r\n${VARY.join(': ')}\r\n` +
      'Connection: close\r\nContent-Length: 0\r\n\r\n',
    () => socket.destroy(),
  )
}

export function statusOf(fault: ParserFault, router: Router): number {
  switch (fault.code) {
    case 'HPE_HEADER_OVERFLOW':
      return 431
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408
    case 'HPE_INVALID_METHOD':
      return unknownMethod(fault, router)
    default:
      return 400
  }
}

const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64} (\S{1,8192}) HTTP\/1\.[01]\r?\n/

function unknownMethod({ rawPacket, bytesParsed = 0 }: ParserFault, router: Router): number {
  if (rawPacket === undefined) return 400
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(NEWLINE, bytesParsed - 1) + 1
  const end = rawPacket.indexOf(NEWLINE, start)
  if (end < 0) return 400
  const line = Buffer.from(rawPacket.subarray(start, end + 1)).toString('latin1')
  const match = REQUEST_LINE.exec(line)
  if (match === null) return 400
  const { parts } = readTarget(match[1]!)
  return parts === null || router.match(parts) === null ? 404 : 405
}
