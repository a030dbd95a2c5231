/** Writes docs/attacks.md from the tables. Use: node test/e2e/attacks/write-document.ts */
import { writeFileSync } from 'node:fs'
import { attackDocument } from './document.ts'

writeFileSync(new URL('../../../docs/attacks.md', import.meta.url), attackDocument())
