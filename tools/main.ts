// Entry point of `svc-tools`: passes the command line, sets the exit code, and handles a reader
// that closes the pipe.
import { PROGRAM } from './declarations.ts'
import { runTools } from './run-tools.ts'
import { PROCESS_TERMINAL } from './terminal/index.ts'

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
  process.stderr.write(`${PROGRAM}: internal error, please report it: ${String(error)}\n`)
  if (error instanceof Error) process.stderr.write(`${error.stack}\n`)
  process.exitCode = EXIT_FAILED
}
