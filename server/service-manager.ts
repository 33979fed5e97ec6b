// Tells systemd that the server listens, reads its files again, or stops (`Type=notify`). Node has
// no datagram sockets of the Unix family: the program `systemd-notify`, which every such system
// has, sends the message. Nothing happens where no service manager asked for it.
import { execFile } from 'node:child_process'

/** The program ends at once; one that hangs must not hold up anything. */
const NOTIFY_TIMEOUT_MS = 5000

export type ServiceState = 'ready' | 'reloading' | 'stopping'

export type ServiceManager = {
  /** `status`: a line for `systemctl status`. */
  readonly tell: (state: ServiceState, status: string) => void
}

const SILENT: ServiceManager = { tell: () => undefined }

/** `report`: for a manager that cannot be told; the service would be ended after a time. */
export function serviceManager(
  environment: { readonly [variable: string]: string | undefined },
  report: (message: string, cause: string) => void,
): ServiceManager {
  if (!environment['NOTIFY_SOCKET']) return SILENT
  // One message after the other: the last one is what counts.
  let told: Promise<void> = Promise.resolve()
  return {
    tell: (state, status) => {
      const words = wordsOf(state, status)
      told = told
        .then(() => send(words))
        .catch((error: unknown) => {
          report(
            'systemd was not told how the server is: is systemd-notify installed?',
            String(error),
          )
        })
    },
  }
}

function wordsOf(state: ServiceState, status: string): readonly string[] {
  const pid = `MAINPID=${process.pid}`
  switch (state) {
    case 'ready':
      return ['--ready', pid, `STATUS=${status}`]
    case 'reloading':
      return ['RELOADING=1', `STATUS=${status}`]
    case 'stopping':
      return ['STOPPING=1', `STATUS=${status}`]
  }
}

const send = (words: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile('systemd-notify', [...words], { timeout: NOTIFY_TIMEOUT_MS }, (error) => {
      if (error === null) resolve()
      else reject(error)
    })
  })
