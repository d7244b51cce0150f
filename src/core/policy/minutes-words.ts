/** Minutes as people say them: `2 hours`. */
export function minutesWords(minutes: number): string {
  const [count, name] = minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
