/** The moments between which a file is taken. Whoever opens the drop folders may have a say at each: tests end the application there. */
export type StepName = 'noted' | 'claimed' | 'read' | 'made' | 'named' | 'reported' | 'moved'

export type Step = (name: StepName) => void | Promise<void>
