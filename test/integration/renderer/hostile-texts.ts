/** Texts that a server could send to deceive, after main's cleaning: markup, another direction, no place to break. */
export const HOSTILE_TEXTS = [
  '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>',
  'שלום עולם, pay nothing, العربية',
  'get_all_the_weather_reports_of_the_whole_world_'.repeat(6),
] as const;

/** 77 digits. */
export const LONG_UNITS = `1${'2345678901'.repeat(7)}234567`.slice(0, 77);
