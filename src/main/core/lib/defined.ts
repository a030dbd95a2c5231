/** Members that say nothing are left out, so that they cross to the screens, or to the service, as not being there. */

type Defined<Shape> = {
  [Name in keyof Shape as undefined extends Shape[Name] ? never : Name]: Shape[Name]
} & {
  [Name in keyof Shape as undefined extends Shape[Name] ? Name : never]?: Exclude<Shape[Name], undefined>
}

/** The members that aren't undefined. */
export function defined<Shape extends object>(shape: Shape): Defined<Shape> {
  return Object.fromEntries(Object.entries(shape).filter(([, value]) => value !== undefined)) as Defined<Shape>
}
