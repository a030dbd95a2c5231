/**
 * Gives the preload the names of the contract's requests as `virtual:request-names`. They stand once, with their schemas;
 * read here, at build, they reach the preload without zod.
 */
import type { Plugin } from 'vite'
import { requestNames } from '../src/shared/contract/requests.ts'

const NAME = 'virtual:request-names'

export function requestNamesAtBuild(): Plugin {
  return {
    name: 'request-names',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? `export const requestNames = ${JSON.stringify(requestNames)}` : undefined)
  }
}
