// The demonstration behind `npm run demo`: a server, real documents, searches with their times.
export { main } from './main.ts'
