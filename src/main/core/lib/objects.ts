/** Objects whose members may say nothing, and maps that are filled as they are asked. */

/** What a map has for a key; made and kept there where it has nothing yet. */
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

/** Leaves out members that say nothing, so that they cross to the screens, or to the service, as not being there. */
export function defined<Shape extends object>(shape: Shape): Defined<Shape> {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Defined<Shape>
}

/** As `defined`, and without empty texts too: for what a service says, which may leave a member out or leave it blank. */
export function withoutBlanks<Shape extends object>(shape: Shape): Partial<Defined<Shape>> {
  const kept: Partial<Shape> = {}
  // A hundred thousand rows are made of it: no pairs are built.
  for (const name in shape) if (shape[name] !== undefined && shape[name] !== '') kept[name] = shape[name]
  return kept as Partial<Defined<Shape>>
}
