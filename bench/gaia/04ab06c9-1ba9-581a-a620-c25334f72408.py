def turn(number):
    digits = str(number)
    return int(digits[1:] + digits[0])


seen = []
value = 53
while value not in seen:
    seen.append(value)
    value = turn(value * 35 % 706 + 10)
print(len(seen), "different numbers")
print("the largest is", max(seen))
