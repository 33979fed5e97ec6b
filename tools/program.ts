// Runs `svc-tools`: passes the command line, sets the exit code, and handles a reader that closes
// the pipe.
import { PROGRAM } from './declarations.ts'
import { runTools } from './run-tools.ts'
import { PROCESS_TERMINAL, printable } from './terminal/index.ts'

const EXIT_FAILED = 2

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader closed the pipe, as in `svc-tools fst dump FILE
  //  head`; no output is needed any more.
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

try {
  process.exitCode = await runTools(process.argv.slice(2), PROCESS_TERMINAL)
} catch (error) {
  const stack = error instanceof Error ? `${error.stack}\n` : ''
  const words = `${PROGRAM}: internal error, please report it: ${String(error)}\n${stack}`
  process.stderr.write(printable(words))
  process.exitCode = EXIT_FAILED
}
