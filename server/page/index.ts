// The preview page: where its script begins. It runs in a browser, asks only the server it came
// from, and writes whatever documents hold as text, never as markup.
import { startPage } from './page.ts'

startPage(document)
