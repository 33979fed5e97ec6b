// Requirements on a master key, and the messages about keys that do not meet them.
import { randomBytes } from 'node:crypto'
import { LaunchError } from './launch-error.ts'

const MASTER_KEY_BYTES_MIN = 16
const SUGGESTED_BYTES = 32

/**
 * `suggests` adds a new key to the message. Only a person should see it, because logs are stored.
 * @throws LaunchError in production if the key is absent or too short
 */
export function checkMasterKey(
  key: string | null,
  env: 'development' | 'production',
  suggests = true,
): void {
  if (env !== 'production' || isSafe(key)) return
  const problem =
    key === null
      ? 'You must provide a master key to secure your instance in a production environment. ' +
        'It can be specified via the SVC_MASTER_KEY environment variable, the key master_key of ' +
        'the configuration file, or the --master-key launch option.'
      : `The master key must be at least ${MASTER_KEY_BYTES_MIN} bytes in a production ` +
        `environment. The provided key is only ${Buffer.byteLength(key)} bytes.`
  throw new LaunchError(suggests ? `${problem}\n\n${suggestion()}` : problem, 1)
}

/** A line about the key on the banner; `isWarning` highlights it. */
export type KeyNotice = { readonly text: string; readonly isWarning: boolean }

export function masterKeyNotices(key: string | null): readonly KeyNotice[] {
  const notices: KeyNotice[] = []
  if (!isSafe(key)) {
    const problem =
      key === null
        ? ' No master key was found. The server will accept unidentified requests.'
        : ' Svc started with a master key considered unsafe for use in a production environment.'
    notices.push(
      {
        text:
          `${problem}\n\n A master key of at least ${MASTER_KEY_BYTES_MIN} bytes will be ` +
          'required when switching to a production environment.',
        isWarning: true,
      },
      {
        text:
          `${suggestion()}\n\n` +
          'Restart Svc with this variable set to use the new and secure master key. Other users\n' +
          'of the machine can read arguments such as --master-key with `ps`.',
        isWarning: false,
      },
    )
  }
  if (key !== null) {
    notices.push({
      text:
        "A master key has been set. Requests to Svc won't be authorized unless you provide an " +
        'authentication key.',
      isWarning: false,
    })
  }
  return notices
}

/** Returns the log's warning about the key when no banner is shown, or null if the key is safe. */
export function masterKeyWarning(key: string | null): string | null {
  if (isSafe(key)) return null
  const problem =
    key === null
      ? 'no master key is set: all requests are accepted'
      : 'the master key is too short for production'
  return `${problem}; set SVC_MASTER_KEY to ${MASTER_KEY_BYTES_MIN} bytes or more`
}

const isSafe = (key: string | null): boolean =>
  key !== null && Buffer.byteLength(key) >= MASTER_KEY_BYTES_MIN

const suggestion = (): string => {
  const key = randomBytes(SUGGESTED_BYTES).toString('base64url')
  return (
    'We generated a new secure master key for you (you can safely use this token):\n\n' +
    `  export SVC_MASTER_KEY=${key}`
  )
}
