/**
 * Provides the names of the contract's requests to the preload, as `virtual:request-names`. They are defined only once,
 * with their schemas; reading them at build time gets them into the preload without zod.
 */
import type { Plugin } from 'vite'
import { requestNames } from '../src/shared/contract/requests.ts'

const NAME = 'virtual:request-names'

export function requestNamesPlugin(): Plugin {
  return {
    name: 'request-names',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id) => (id === `\0${NAME}` ? `export const requestNames = ${JSON.stringify(requestNames)}` : undefined)
  }
}
