// `npm run demo`: starts a server of its own on this machine, indexes the documentation of the Web,
// JavaScript and Node.js (or a file of yours), shows searches with their times, and stays up until
// Ctrl-C.
import { main } from './demo/index.ts'

await main(import.meta.url)
