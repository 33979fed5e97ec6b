// Entry point of the preview page's script. It runs in a browser, sends requests only to the server
// that it was loaded from, and shows the content of documents as text, never as markup.
import { startPage } from './page.ts'

startPage(document)
