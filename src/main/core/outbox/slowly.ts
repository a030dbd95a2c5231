/** Long work on the main thread, a little at a time. */
/** How long the main thread is held at a time, in milliseconds. */
const SLICE = 4

/** Does something with each item, and lets everything else have its turn in between. Ends at what it throws. */
export async function slowly<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
  let since = performance.now()
  for (const item of items) {
    if (performance.now() - since > SLICE) {
      await new Promise((resume) => setImmediate(resume))
      since = performance.now()
    }
    work(item)
  }
}
