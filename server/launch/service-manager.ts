// Notifies systemd that the server listens, reads its files again, or stops (`Type=notify`). Node
// has no Unix datagram sockets, so the program `systemd-notify`, which every such system has, sends
// the message. Without a service manager that requested notifications, it does nothing.
import { execFile } from 'node:child_process'

/** The program ends immediately in normal operation; one that hangs must not delay the server. */
const NOTIFY_TIMEOUT_MS = 5000

export type ServiceState = 'ready' | 'reloading' | 'stopping'

export type ServiceManager = {
  /** `status` is a line for `systemctl status`. */
  readonly notify: (state: ServiceState, status: string) => void
}

const SILENT: ServiceManager = { notify: () => undefined }

/**
 * `report` receives the reason when the manager cannot be notified; systemd then ends the service
 * after its timeout.
 */
export function serviceManager(
  environment: { readonly [variable: string]: string | undefined },
  report: (message: string, cause: string) => void,
): ServiceManager {
  if (!environment['NOTIFY_SOCKET']) return SILENT
  // Messages are sent one after another, because the last one sets the state.
  let lastMessage: Promise<void> = Promise.resolve()
  return {
    notify: (state, status) => {
      const words = wordsOf(state, status)
      lastMessage = lastMessage
        .then(() => send(words))
        .catch((error: unknown) => {
          report('systemd could not be notified: is systemd-notify installed?', String(error))
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
