// Stand-ins for modules of Electron that the host has no counterpart for. Importing one is free; using it throws.
import { notEmulated } from './strict.ts'

// The proxy's target is a class because a class supports both the call and the construct trap.
class Absent {}

/** Returns a stand-in for a module or class: reading a member, calling or constructing it throws "not emulated". */
export function absent(name: string): never {
  const use = (what: string): never => notEmulated(what)
  return new Proxy(Absent as never, {
    get: (_, key) =>
      typeof key === 'symbol' || key === 'then' || key === 'prototype' ? undefined : use(`${name}.${key}`),
    set: (_, key) => use(`${name}.${String(key)}`),
    apply: () => use(name),
    construct: () => use(`new ${name}`)
  })
}
