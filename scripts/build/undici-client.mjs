// The content of `dist/server/undici.js`: the client of undici without HTTP/2 and forms, which calls
// do not use and which load modules of Node.
export { default as Client } from 'undici/lib/dispatcher/client.js'
