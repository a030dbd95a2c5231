// Usage: node --import ./test/host/register.ts out/main/index.js. From then on `electron` resolves to the host, for
// both import and require.
import { registerHooks } from 'node:module'

const url = new URL('./electron.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier === 'electron/main' || specifier === 'electron/common'
      ? { url, shortCircuit: true }
      : next(specifier, context)
})
