// Describes why the server cannot start, as a sentence for its operator: the failed action, the
// place, the user, and the remedy.
import { userInfo } from 'node:os'
import { StorageError } from '../../engine/index.ts'
import type { Address } from '../http/index.ts'

/** The members that an error of the operating system has beside its message. */
type SystemError = Error & { readonly code: string; readonly path?: string }

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'

const CHOOSE = 'choose another address with --http-addr'
const PRIVILEGED_BELOW = 1024

/** Describes an `error` of listening on `address`. */
export function listenFailure(error: unknown, address: Address): unknown {
  return isSystemError(error) ? new Error(listenWords(error, address)) : error
}

function listenWords({ code, message }: SystemError, address: Address): string {
  const { host, port } = address
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  switch (code) {
    case 'EADDRINUSE':
      return `${place} is in use by another program (${code}): stop it, or ${CHOOSE}`
    case 'EADDRNOTAVAIL':
      return `${place} is not an address of this machine (${code}): ${CHOOSE}`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the host \`${host}\` of --http-addr has no address (${code}): check its spelling, or ${CHOOSE}`
    case 'EACCES':
    case 'EPERM':
      return `${userWords()} may not listen on ${place} (${code}): ${rightsAdvice(port)}`
    default:
      return `cannot listen on ${place}: ${message}; ${CHOOSE}`
  }
}

const rightsAdvice = (port: number): string =>
  port < PRIVILEGED_BELOW
    ? `ports below ${PRIVILEGED_BELOW} need the capability CAP_NET_BIND_SERVICE; use a higher port ` +
      'with --http-addr, or a reverse proxy'
    : CHOOSE

/**
 * Describes an `error` of opening the database; if the system refused access, with path and user.
 */
export function folderFailure(error: unknown): unknown {
  if (!(error instanceof StorageError)) return error
  const { cause } = error
  if (!isSystemError(cause) || cause.path === undefined) return error
  const advice = ADVICE[cause.code]
  if (advice === undefined) return error
  return new Error(`${error.message}: ${JSON.stringify(cause.path)}. ${advice()}`)
}

const rightsOfFolder = (): string =>
  `The server runs as ${userWords()}: give this user rights to the folder (chown), or choose ` +
  'another folder'

const ADVICE: { readonly [errno: string]: () => string } = {
  EACCES: rightsOfFolder,
  EPERM: rightsOfFolder,
  EROFS: () => 'Mount the file system writable, or choose another folder',
  ENOTDIR: () => 'Choose a path in which every parent is a folder',
  EEXIST: () => 'Choose the path of a folder, or one that does not exist',
  ENOENT: () => 'The system does not allow folders there: choose another path',
  ENOSPC: () => 'Free space, or choose a folder on another disk',
  EDQUOT: () => 'Free space, or choose a folder on another disk',
}

/** Returns `user "svc" (1000)`; a user in a container may have no name. */
function userWords(): string {
  const id = process.geteuid?.()
  const number = id === undefined ? '' : ` (${id})`
  try {
    return `user ${JSON.stringify(userInfo().username)}${number}`
  } catch {
    // The system has no entry for this number.
    return `the user${number}`
  }
}
