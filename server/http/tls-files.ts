// TLS files as operators provide them: PEM with several blocks, keys of three kinds, an answer of
// an OCSP responder. Faults are reported with the name of the file before the server listens.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

export type TlsFiles = {
  readonly certPath: string
  readonly keyPath: string
  /** File of the authorities for client certificates. */
  readonly authPath: string | null
  readonly ocspPath: string | null
  /** Refuses a client without a certificate; has an effect only with `authPath`. */
  readonly requireAuth: boolean
  /** Allows session resumption from memory. */
  readonly resumption: boolean
  readonly tickets: boolean
  /** File for the connection secrets, for debugging; null writes none. */
  readonly keyLogPath: string | null
}

export type TlsContents = {
  /** PEM, the leaf first. */
  readonly cert: string
  readonly key: KeyObject
  /** PEM, or null if client certificates are not requested. */
  readonly ca: readonly string[] | null
  /** DER, or null if no OCSP answer is stapled. */
  readonly ocsp: Uint8Array | null
}

/** @throws Error with a message for the operator */
export function readTlsFiles({ certPath, keyPath, authPath, ocspPath }: TlsFiles): TlsContents {
  const chain = certificatesOf(certPath, 'certificate')
  const key = privateKeyOf(keyPath)
  if (!new X509Certificate(chain[0]!).checkPrivateKey(key)) {
    const files = `${quoted(keyPath)} is not the key of the first certificate in ${quoted(certPath)}`
    throw new Error(`bad certificates/private key: ${files}`)
  }
  return {
    cert: chain.join('\n'),
    key,
    ca: authPath === null ? null : certificatesOf(authPath, 'client authentication'),
    ocsp: ocspPath === null ? null : ocspAnswerOf(ocspPath),
  }
}

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g

type Block = { readonly label: string; readonly text: string }

const blocksOf = (path: string, what: string): readonly Block[] =>
  [...read(path, what).toString('latin1').matchAll(PEM)].map(([text, label]) => ({
    label: label!,
    text,
  }))

function certificatesOf(path: string, what: string): readonly string[] {
  const found = blocksOf(path, what).filter(({ label }) => /^(?:X509 )?CERTIFICATE$/.test(label))
  const problem = `cannot read ${what} file ${quoted(path)}`
  if (found.length === 0) throw new Error(`${problem}: there is no certificate in it`)
  for (const [i, { text }] of found.entries()) {
    try {
      new X509Certificate(text)
    } catch (error) {
      // OpenSSL's error for bytes that are not a certificate.
      throw new Error(`${problem}: certificate ${i + 1} is invalid`, { cause: error })
    }
  }
  return found.map(({ text }) => text)
}

/**
 * In order of preference: if a file has several keys, the first key of the first kind found is
 * used.
 */
const KEY_KINDS = [
  ['PRIVATE KEY', 'file contains invalid pkcs8 private key (encrypted keys not supported)'],
  ['RSA PRIVATE KEY', 'file contains invalid rsa private key'],
  ['EC PRIVATE KEY', 'file contains invalid ec private key'],
] as const

function privateKeyOf(path: string): KeyObject {
  const blocks = blocksOf(path, 'private key')
  for (const [kind, problem] of KEY_KINDS) {
    const block = blocks.find(({ label }) => label === kind)
    if (block === undefined) continue
    try {
      return createPrivateKey(block.text)
    } catch (error) {
      // OpenSSL's error for bytes that are not a key, or that need a passphrase.
      throw new Error(`${problem}: ${quoted(path)}`, { cause: error })
    }
  }
  const isEncrypted = blocks.some(({ label }) => label === 'ENCRYPTED PRIVATE KEY')
  const problem = isEncrypted ? KEY_KINDS[0][1] : 'cannot read private key file'
  const reason = isEncrypted ? '' : ': there is no private key in it'
  throw new Error(`${problem}${isEncrypted ? ':' : ''} ${quoted(path)}${reason}`)
}

const SEQUENCE = 0x30
const ENUMERATED = 0x0a
/** A sequence with a length of one to five bytes, and a status in it. */
const OCSP_BYTES_MIN = 5

/**
 * Reads an OCSP answer (RFC 6960): a sequence that begins with the status, where 0 means success.
 */
function ocspAnswerOf(path: string): Uint8Array {
  const bytes = read(path, 'ocsp')
  const problem = `cannot read ocsp file ${quoted(path)}`
  const long = (bytes[1] ?? 0) & 0x80 ? bytes[1]! & 0x7f : 0
  const [tag, length, status] = [2 + long, 3 + long, 4 + long]
  const isAnswer =
    bytes.length >= OCSP_BYTES_MIN &&
    bytes[0] === SEQUENCE &&
    bytes[tag] === ENUMERATED &&
    bytes[length] === 1
  if (!isAnswer) throw new Error(`${problem}: it is not an OCSP response in DER`)
  if (bytes[status] !== 0) {
    throw new Error(`${problem}: the responder refused, with status ${bytes[status]}`)
  }
  return bytes
}

function read(path: string, what: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    // System errors: the file is missing or not readable.
    throw new Error(`cannot open ${what} file ${quoted(path)}`, { cause: error })
  }
}

const quoted = (path: string): string => JSON.stringify(path)
