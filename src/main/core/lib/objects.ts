/** Helpers for objects with undefined members, and for maps that are filled on demand. */

/** Returns a map's value for a key; creates and stores it if missing. */
export function getOrMake<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value
): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

type Defined<Shape> = {
  [Name in keyof Shape as undefined extends Shape[Name] ? never : Name]: Shape[Name]
} & {
  [Name in keyof Shape as undefined extends Shape[Name] ? Name : never]?: Exclude<Shape[Name], undefined>
}

/** Omits undefined members, so that they are absent for the screens or the service. */
export function defined<Shape extends object>(shape: Shape): Defined<Shape> {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Defined<Shape>
}

/** As `defined`, but also omits empty texts: the service may leave a member out or leave it blank. */
export function withoutBlanks<Shape extends object>(shape: Shape): Partial<Defined<Shape>> {
  const kept: Partial<Shape> = {}
  // Runs for a hundred thousand rows, so it avoids building entry pairs.
  for (const name in shape) if (shape[name] !== undefined && shape[name] !== '') kept[name] = shape[name]
  return kept as Partial<Defined<Shape>>
}
